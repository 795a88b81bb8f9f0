/* Two ranks exchange from a member of a template. With an argument, MPI is not called. */
#include <mpi.h>

namespace halo {
template <class Value> struct Exchanger {
    int rank;
    void operator()(Value sent, int n) {
        for (int i = 0; i < n; i++) {
            Value received;
            MPI_Sendrecv(&sent, sizeof sent, MPI_BYTE, 1 - rank, 3, &received, sizeof received, MPI_BYTE, 1 - rank, 3,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
};
} // namespace halo

int main(int argc, char **argv) {
    int rank;
    if (argc > 1)
        return 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    halo::Exchanger<double>{rank}(2.5, 4);
    return MPI_Finalize();
}
