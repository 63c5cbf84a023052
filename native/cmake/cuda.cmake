# The CUDA compiler, if there is one: a toolkit, or the PyPI packages nvidia-cuda-nvcc, -crt, -runtime and nvidia-nvvm of
# one version (their common folder is ROUNDHOUSE_CUDA_HOME). Without it everything else is built all the same.
set(ROUNDHOUSE_CUDA "AUTO" CACHE STRING "AUTO: build for GPUs where a CUDA compiler is found; ON: it must be; OFF")
set(ROUNDHOUSE_CUDA_HOME "" CACHE PATH "Folder with bin/nvcc, include and lib; empty: where nvcc is found")
set(ROUNDHOUSE_CUDA_ARCHITECTURES "90" CACHE STRING "GPU architectures to compile for; the smallest also as PTX")
list(SORT ROUNDHOUSE_CUDA_ARCHITECTURES COMPARE NATURAL)

set(ROUNDHOUSE_HAS_CUDA OFF)
if(NOT ROUNDHOUSE_CUDA STREQUAL "OFF")
  if(ROUNDHOUSE_CUDA_HOME)
    find_program(ROUNDHOUSE_NVCC nvcc PATHS "${ROUNDHOUSE_CUDA_HOME}/bin" NO_DEFAULT_PATH)
  else()
    find_program(ROUNDHOUSE_NVCC nvcc PATHS /usr/local/cuda/bin)
  endif()
  if(ROUNDHOUSE_NVCC)
    get_filename_component(cuda_program "${ROUNDHOUSE_NVCC}" REALPATH)
    get_filename_component(cuda_bin "${cuda_program}" DIRECTORY)
    get_filename_component(ROUNDHOUSE_CUDA_ROOT "${cuda_bin}" DIRECTORY)
    find_path(ROUNDHOUSE_CUDA_INCLUDE cuda_runtime_api.h
      PATHS "${ROUNDHOUSE_CUDA_ROOT}/include" "${ROUNDHOUSE_CUDA_ROOT}/targets/x86_64-linux/include" NO_DEFAULT_PATH)
    find_library(ROUNDHOUSE_CUDART cudart_static
      PATHS "${ROUNDHOUSE_CUDA_ROOT}/lib" "${ROUNDHOUSE_CUDA_ROOT}/lib64" "${ROUNDHOUSE_CUDA_ROOT}/targets/x86_64-linux/lib"
      NO_DEFAULT_PATH)
    if(ROUNDHOUSE_CUDA_INCLUDE AND ROUNDHOUSE_CUDART)
      set(ROUNDHOUSE_HAS_CUDA ON)
    endif()
  endif()
  if(ROUNDHOUSE_CUDA STREQUAL "ON" AND NOT ROUNDHOUSE_HAS_CUDA)
    message(FATAL_ERROR "ROUNDHOUSE_CUDA is ON, but no nvcc with its headers and libcudart_static was found")
  endif()
endif()
message(STATUS "CUDA: ${ROUNDHOUSE_HAS_CUDA} ${ROUNDHOUSE_NVCC}")

# What the backends were compiled for; the engine hides GPUs that they don't know (docs/gpu.md).
set(cuda_json "")
if(ROUNDHOUSE_HAS_CUDA)
  list(JOIN ROUNDHOUSE_CUDA_ARCHITECTURES ", " cuda_json)
endif()
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/backends/built-for.json" CONTENT "{ \"cudaArchitectures\": [@cuda_json@] }\n" @ONLY)

set(cuda_targets "")
set(cuda_first TRUE)
foreach(architecture IN LISTS ROUNDHOUSE_CUDA_ARCHITECTURES)
  list(APPEND cuda_targets -gencode "arch=compute_${architecture},code=sm_${architecture}")
  if(cuda_first)
    list(APPEND cuda_targets -gencode "arch=compute_${architecture},code=compute_${architecture}")
    set(cuda_first FALSE)
  endif()
endforeach()

# For `npm test -- cuda`, which only compiles: warnings are errors, and so are kernels that spill registers in the sources of
# the list ROUNDHOUSE_SPILL_FREE; resources are told, and each source is a target of its own.
option(ROUNDHOUSE_CUDA_STRICT "Check the sources for GPUs instead of building what runs" OFF)
set(cuda_strict "")
if(ROUNDHOUSE_CUDA_STRICT)
  set(cuda_strict -Werror=all-warnings "-Xptxas=-v,--warning-as-error")
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

# roundhouse_cuda_objects(OUT SOURCE...): compiles each .cu with nvcc and sets OUT to the object files. No CUDA language of
# CMake's: its compiler test fails with the PyPI packages.
function(roundhouse_cuda_objects out)
  set(objects "")
  foreach(source IN LISTS ARGN)
    get_filename_component(name "${source}" NAME_WE)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.cu.o")
    set(strict ${cuda_strict})
    if(cuda_strict AND source IN_LIST ROUNDHOUSE_SPILL_FREE)
      list(APPEND strict "-Xptxas=--warn-on-spills")
    endif()
    add_custom_command(OUTPUT "${object}"
      COMMAND "${ROUNDHOUSE_NVCC}" -std=c++20 -O3 -DNDEBUG -lineinfo ${cuda_targets} -Xcompiler=-fPIC,-Wall
        ${strict} -MD -MF "${object}.d" -c -o "${object}" "${CMAKE_CURRENT_SOURCE_DIR}/${source}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${source}" DEPFILE "${object}.d" VERBATIM
      COMMENT "Compiling ${source} for GPUs")
    list(APPEND objects "${object}")
    if(ROUNDHOUSE_CUDA_STRICT)
      add_custom_target(cuda_${name} DEPENDS "${object}")
      set_property(GLOBAL APPEND PROPERTY ROUNDHOUSE_CUDA_SOURCES
        "cuda_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    endif()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
