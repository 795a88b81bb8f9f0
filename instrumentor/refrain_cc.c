/* refrain_cc.c: refrain-cc COMPILER ARGS... */
#include "wrapper.h"

int main(int argc, char **argv) {
    return refrain_wrapper(argc, argv, REFRAIN_WRAPPER_ANY);
}
