! Two ranks exchange by the module MPI; test_record.sh makes the variants for mpi_f08 and mpif.h of it.
module exchange
contains
    subroutine swap(rank, n)
        use mpi
        integer, intent(in) :: rank, n
        integer :: other, value, ierr, i
        integer :: status(MPI_STATUS_SIZE) !f08 type(MPI_Status) :: status
        other = 1 - rank
        do i = 1, n
            if (rank == 0) then
                call MPI_Send(i, 1, MPI_INTEGER, other, 7, MPI_COMM_WORLD, ierr)
                call MPI_Recv(value, 1, MPI_INTEGER, other, 8, MPI_COMM_WORLD, status, ierr)
            else
                call MPI_Recv(value, 1, MPI_INTEGER, other, 7, MPI_COMM_WORLD, status, ierr)
                call MPI_Send(i, 1, MPI_INTEGER, other, 8, MPI_COMM_WORLD, ierr)
            end if
        end do
    end subroutine
end module

program main
    use exchange
    use mpi
    integer :: ierr, rank, total, a, b
    integer :: requests(2) !f08 type(MPI_Request) :: requests(2)
    integer :: statuses(MPI_STATUS_SIZE, 2) !f08 type(MPI_Status) :: statuses(2)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call swap(rank, 5)
    b = rank
    call MPI_Irecv(a, 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(b, 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, statuses, ierr)
    call MPI_Allreduce(a, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    print *, 'total', total
    call MPI_Finalize(ierr)
end program
