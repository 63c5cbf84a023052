# The core is never linked: triton.node opens it, and a backend's NEEDED entry names the core's SONAME, so
# that the loader finds the library that is already there. To write that entry we link against an empty stub
# of the same SONAME, made from the TRITON_CORE lines of our declarations.

set(ROUNDHOUSE_TRITON_INCLUDE "${CMAKE_SOURCE_DIR}/native/triton/include")
set(ROUNDHOUSE_TOOLCHAIN_DIR "${CMAKE_SOURCE_DIR}/.roundhouse/toolchain" CACHE PATH "Folder of the fetched tools")

# The SONAME of the core in the toolchain (wheels rename it), or the name that a stock Triton uses.
function(roundhouse_triton_soname result)
  file(GLOB cores "${ROUNDHOUSE_TOOLCHAIN_DIR}/triton/nvidia_pytriton.libs/libtritonserver*.so")
  set(soname "libtritonserver.so")
  if(cores AND CMAKE_READELF)
    list(GET cores 0 core)
    execute_process(COMMAND ${CMAKE_READELF} -d ${core} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    if(dynamic MATCHES "soname: \\[([^]]+)\\]")
      set(soname "${CMAKE_MATCH_1}")
    endif()
  endif()
  set(${result} "${soname}" PARENT_SCOPE)
endfunction()

function(roundhouse_write_triton_stub path)
  set(text "")
  foreach(header triton_server_api.hpp triton_backend_api.hpp)
    file(STRINGS "${ROUNDHOUSE_TRITON_INCLUDE}/${header}" lines REGEX "^TRITON_CORE ")
    foreach(line IN LISTS lines)
      if(line MATCHES "(TRITON(SERVER|BACKEND)_[A-Za-z0-9]+)\\(")
        string(APPEND text "void ${CMAKE_MATCH_1}(void) {}\n")
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${ROUNDHOUSE_TRITON_INCLUDE}/${header}")
  endforeach()
  file(CONFIGURE OUTPUT "${path}" CONTENT "${text}" @ONLY)
endfunction()

if(NOT ROUNDHOUSE_TRITON_SONAME)
  roundhouse_triton_soname(found_soname)
  set(ROUNDHOUSE_TRITON_SONAME "${found_soname}")
endif()
message(STATUS "TritonCore SONAME: ${ROUNDHOUSE_TRITON_SONAME}")
roundhouse_write_triton_stub("${CMAKE_BINARY_DIR}/stub/triton_stub.c")
add_library(triton_stub SHARED "${CMAKE_BINARY_DIR}/stub/triton_stub.c")
set_target_properties(triton_stub PROPERTIES
  NO_SONAME ON LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/stub" OUTPUT_NAME tritonserver)
target_link_options(triton_stub PRIVATE "-Wl,-soname,${ROUNDHOUSE_TRITON_SONAME}")
target_include_directories(triton_stub SYSTEM INTERFACE "${ROUNDHOUSE_TRITON_INCLUDE}")

# roundhouse_triton_backend(NAME SOURCE...): <build>/backends/NAME/libtriton_NAME.so. The target is
# triton_NAME; add include directories and libraries to it as to any other.
function(roundhouse_triton_backend name)
  add_library(triton_${name} SHARED ${ARGN})
  target_link_libraries(triton_${name} PRIVATE roundhouse_options triton_stub Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(triton_${name} PRIVATE -Wl,--no-undefined)
  set_target_properties(triton_${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/backends/${name}" SKIP_BUILD_RPATH ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  file(RELATIVE_PATH folder "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT folder MATCHES "^test/")
    add_dependencies(product triton_${name})
  endif()
endfunction()
