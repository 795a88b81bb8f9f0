/* refrain_cc.c: refrain-cc CC ARGS... */
#include "wrapper.h"

int main(int argc, char **argv) {
    return refrain_wrapper(argc, argv, 0);
}
