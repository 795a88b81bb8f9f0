# What is built and what is left out, said once at the end of the configuration, so that nobody has to look for it among
# other lines. Folders report with these functions; CMakeLists.txt prints the list.
function(refrain_built part)
    set_property(GLOBAL APPEND PROPERTY REFRAIN_BUILT "${part}")
endfunction()

# `needs` names the library or program that was not found, and Debian's package of it.
function(refrain_left_out part needs)
    set_property(GLOBAL APPEND PROPERTY REFRAIN_LEFT_OUT "${part}: needs ${needs}")
endfunction()

function(refrain_print_summary)
    get_property(built GLOBAL PROPERTY REFRAIN_BUILT)
    get_property(left_out GLOBAL PROPERTY REFRAIN_LEFT_OUT)
    message(STATUS "Built:")
    foreach(part IN LISTS built)
        message(STATUS "  ${part}")
    endforeach()
    if(left_out)
        message(STATUS "Left out:")
    endif()
    foreach(part IN LISTS left_out)
        message(STATUS "  ${part}")
    endforeach()
endfunction()
