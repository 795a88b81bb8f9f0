/* light.c: loops and branches that --detail=all leaves out (instrumentor/weigh.c, test_small.sh). */
volatile int many = 40, few = 7;
static int table[64];

/* In the first loop nothing has a probe, since an iteration has little work. The second has enough work for all probes.
 * In the third, half of the iterations end before enough work was done, as far as the source shows. */
__attribute__((noinline)) int work(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            sum += table[i & 63];
        for (int j = 0; j < few; j++)
            sum ^= j;
    }
    for (int i = 0; i < n; i++) {
        if (i == 3)
            sum++;
        for (int j = 0; j < few; j++) {
            table[(i + j) & 63] += sum * j + i * 3 - (sum >> 2) + (i ^ j) * 5 + (sum & 7) * (j + 1);
            table[(i + j + 1) & 63] -= sum * i + j * 3 - (sum >> 3) + (i | j) * 7 + (sum & 3) * (i + 1);
            table[(i + j + 2) & 63] += sum * j + i * 3 - (sum >> 2) + (i ^ j) * 5 + (sum & 7) * (j + 1);
            table[(i + j + 3) & 63] -= sum * i + j * 3 - (sum >> 3) + (i | j) * 7 + (sum & 3) * (i + 1);
        }
        if (i == 5)
            sum--;
    }
    for (int i = 0; i < n; i++) {
        if (i & 3)
            continue;
        table[i & 63] += sum * i + i * 3 - (sum >> 2) + (i ^ n) * 5 + (sum & 7) * (n + 1);
        table[(i + 1) & 63] -= sum * i + n * 3 - (sum >> 3) + (i | n) * 7 + (sum & 3) * (i + 1);
        table[(i + 2) & 63] += sum * i + i * 3 - (sum >> 2) + (i ^ n) * 5 + (sum & 7) * (n + 1);
        table[(i + 3) & 63] -= sum * i + n * 3 - (sum >> 3) + (i | n) * 7 + (sum & 3) * (i + 1);
    }
    return sum;
}
int main(void) {
    return work(many) == 1;
}
