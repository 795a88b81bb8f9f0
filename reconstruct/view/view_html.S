/* view_html.S: the bundled pages as bytes of the executable; none where they could not be bundled. */
    .section .rodata
    .globl refrain_view_html
    .globl refrain_view_html_end
    .hidden refrain_view_html
    .hidden refrain_view_html_end
    .type refrain_view_html, @object
    .balign 16
refrain_view_html:
    .incbin REFRAIN_VIEW_HTML
refrain_view_html_end:
    .byte 0
    .globl refrain_compare_html
    .globl refrain_compare_html_end
    .hidden refrain_compare_html
    .hidden refrain_compare_html_end
    .type refrain_compare_html, @object
    .balign 16
refrain_compare_html:
    .incbin REFRAIN_COMPARE_HTML
refrain_compare_html_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
