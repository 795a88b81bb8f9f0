! OpenMP in Fortran: ROUNDS teams of 3 threads, of which thread 1 works longer in the loop.
program ompt
    implicit none
    include 'mpif.h'
    integer :: error, provided, round, i, in_turn
    integer(8) :: now, until, rate
    double precision :: sum
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
    call system_clock(now, rate)
    sum = 0
    in_turn = 0
    do round = 1, 3
        !$omp parallel num_threads(3) private(now, until)
        !$omp do schedule(static)
        do i = 0, 2
            if (i == 1) then
                call system_clock(until)
                until = until + rate / 50
                now = 0
                do while (now < until)
                    call system_clock(now)
                end do
            end if
        end do
        !$omp end do
        !$omp critical (turns)
        in_turn = in_turn + 1
        !$omp end critical (turns)
        !$omp single
        sum = sum + 1
        !$omp end single
        !$omp end parallel
        call MPI_Barrier(MPI_COMM_WORLD, error)
    end do
    print '(a, i0, a, i0)', "turns ", in_turn, ", rounds ", int(sum)
    call MPI_Finalize(error)
end program
