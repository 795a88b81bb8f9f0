/* proxy_runtime.S: the texts of proxy_terms.inc and proxy_runtime.inc as bytes of the executable. */
    .section .rodata
    .globl refrain_proxy_runtime
    .globl refrain_proxy_runtime_end
    .hidden refrain_proxy_runtime
    .hidden refrain_proxy_runtime_end
    .type refrain_proxy_runtime, @object
refrain_proxy_runtime:
    .incbin REFRAIN_PROXY_TERMS
    .incbin REFRAIN_PROXY_RUNTIME
refrain_proxy_runtime_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
