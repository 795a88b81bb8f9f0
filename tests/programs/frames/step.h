/* step.h: what handler.c does between two instructions. */
void stepped(int n);
