/* step.h: a function that step.c calls between two instructions. */
void stepped(int n);
