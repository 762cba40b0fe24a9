// kernix/hide_macros.h - until restore_macros.h, macros of the user do not reach into headers of kernix.
//
// `-DT=float` and `#define R 4` before an #include are the user's right. Only names that these headers use and that
// people do give to macros. Without an include guard: every header that needs it includes it, and they nest.

#pragma push_macro("A")
#undef A
#pragma push_macro("B")
#undef B
#pragma push_macro("C")
#undef C
#pragma push_macro("F")
#undef F
#pragma push_macro("I")
#undef I
#pragma push_macro("P")
#undef P
#pragma push_macro("R")
#undef R
#pragma push_macro("S")
#undef S
#pragma push_macro("T")
#undef T
#pragma push_macro("V")
#undef V
#pragma push_macro("Float")
#undef Float
#pragma push_macro("Index")
#undef Index
#pragma push_macro("Type")
#undef Type
#pragma push_macro("Value")
#undef Value
