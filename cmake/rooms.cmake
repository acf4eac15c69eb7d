# Build rules for rooms (folders of the library) and programs.

# headlight_room(DIR DEPENDS ...): one static library for a folder, named headlight_<dir>, from every .cpp
# in it but main.cpp. A folder without sources yet is a header-only room.
set(HEADLIGHT_WARNINGS -Wall -Wextra -Wconversion)
if(NOT CMAKE_UNITY_BUILD) # there, a name would "shadow" one of another file
  list(APPEND HEADLIGHT_WARNINGS -Wshadow)
endif()
if(HEADLIGHT_DEVELOPER)
  list(APPEND HEADLIGHT_WARNINGS -Werror)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees what is not there in its own std::string (GCC bug 105651 and its kin); which of these
  # it says depends on how much it inlines, so on -O and on what is compiled as one unit.
  list(APPEND HEADLIGHT_WARNINGS -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
       -Wno-stringop-overread)
endif()

add_library(headlight_options INTERFACE)
target_compile_features(headlight_options INTERFACE cxx_std_20)
target_compile_options(headlight_options INTERFACE ${HEADLIGHT_WARNINGS})
if(HEADLIGHT_SANITIZE)
  target_compile_options(headlight_options INTERFACE -fsanitize=${HEADLIGHT_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(headlight_options INTERFACE -fsanitize=${HEADLIGHT_SANITIZE})
  if(HEADLIGHT_SANITIZE MATCHES thread)
    # TSan knows no fences; Asio's own switch replaces them by what it understands.
    target_compile_definitions(headlight_options INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
if(HEADLIGHT_FUZZERS)
  target_compile_options(headlight_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(headlight_room dir)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  string(REPLACE "/" "_" name ${dir})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${dir}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$|_main\\.cpp$")
  if(sources)
    add_library(headlight_${name} STATIC ${sources})
    set(visibility PUBLIC)
  else()
    add_library(headlight_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(headlight_${name} ${visibility} ${PROJECT_SOURCE_DIR})
  target_link_libraries(headlight_${name} ${visibility} ${arg_DEPENDS} headlight_options)
endfunction()

# headlight_program(NAME MAIN DEPENDS...): an executable, once its main file exists.
function(headlight_program name main)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${main})
    add_executable(${name} ${PROJECT_SOURCE_DIR}/${main})
    target_link_libraries(${name} PRIVATE ${ARGN})
  endif()
endfunction()
