# Targets of this repository: what every one compiles with, and where it lands in the build folder.

add_library(roundhouse_options INTERFACE)
target_compile_features(roundhouse_options INTERFACE cxx_std_20)
target_compile_options(roundhouse_options INTERFACE -Wall -Wextra)
if(ROUNDHOUSE_WERROR)
  target_compile_options(roundhouse_options INTERFACE -Werror)
endif()
if(ROUNDHOUSE_SANITIZE)
  target_compile_options(roundhouse_options INTERFACE -fsanitize=${ROUNDHOUSE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(roundhouse_options INTERFACE -fsanitize=${ROUNDHOUSE_SANITIZE})
endif()

set(ROUNDHOUSE_NODE_MODULES "${CMAKE_SOURCE_DIR}/node_modules")

# roundhouse_node_addon(NAME SOURCE...): <build>/NAME.node; Node's symbols are found in the host process.
function(roundhouse_node_addon name)
  add_library(${name}_addon MODULE ${ARGN})
  target_link_libraries(${name}_addon PRIVATE roundhouse_options ${CMAKE_DL_LIBS} Threads::Threads)
  target_include_directories(${name}_addon SYSTEM PRIVATE
    "${ROUNDHOUSE_NODE_MODULES}/node-api-headers/include" "${ROUNDHOUSE_NODE_MODULES}/node-addon-api")
  # The last one: a thread that is ended while it calls into the addon has nobody to throw to, and would abort the process.
  target_compile_definitions(${name}_addon PRIVATE NAPI_VERSION=8 NAPI_CPP_EXCEPTIONS NODE_ADDON_API_DISABLE_DEPRECATED
                             NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS)
  set_target_properties(${name}_addon PROPERTIES
    PREFIX "" SUFFIX ".node" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}"
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  add_dependencies(product ${name}_addon)
endfunction()

# roundhouse_native_test(NAME SOURCE...): <build>/tests/NAME, run by ctest; its last line is
# "N passed, N failed, N skipped" and it exits with 1 on a failure.
function(roundhouse_native_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE roundhouse_options Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
