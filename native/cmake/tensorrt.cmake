# TensorRT's headers, if there are some: of a prefix, of NVIDIA's containers, or those that `npm run setup -- tensorrt`
# fetches. Its library is opened at run time only (ADR 0015).
set(ROUNDHOUSE_TENSORRT_HOME "" CACHE PATH "Folder whose include/ has TensorRT's headers; empty: the usual places")
set(ROUNDHOUSE_HAS_TENSORRT OFF)
if(ROUNDHOUSE_HAS_CUDA)
  if(ROUNDHOUSE_TENSORRT_HOME)
    find_path(ROUNDHOUSE_TENSORRT_INCLUDE NvOnnxParser.h PATHS "${ROUNDHOUSE_TENSORRT_HOME}/include" NO_DEFAULT_PATH)
  else()
    find_path(ROUNDHOUSE_TENSORRT_INCLUDE NvOnnxParser.h
      PATHS "${ROUNDHOUSE_TOOLCHAIN_DIR}/tensorrt-headers" /usr/include/x86_64-linux-gnu)
  endif()
  if(ROUNDHOUSE_TENSORRT_INCLUDE)
    set(ROUNDHOUSE_HAS_TENSORRT ON)
  elseif(ROUNDHOUSE_TENSORRT_HOME)
    message(FATAL_ERROR "ROUNDHOUSE_TENSORRT_HOME is ${ROUNDHOUSE_TENSORRT_HOME}, but its include/ has no NvOnnxParser.h")
  endif()
endif()
message(STATUS "TensorRT headers: ${ROUNDHOUSE_HAS_TENSORRT} ${ROUNDHOUSE_TENSORRT_INCLUDE}")
