/* view_html.S: the bundled page as bytes of the executable; none where it could not be bundled. */
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
    .section .note.GNU-stack, "", @progbits
