int work_of_one(int n);
int work_of_two(int n);
