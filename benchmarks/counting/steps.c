// Runs a program an instruction at a time between the first two SIGCONT that it sends itself, and
// prints how many there were: steps PROGRAM ...
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** arguments) {
    (void)count;
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(arguments[1], arguments + 1);
        _exit(127);
    }
    unsigned long long steps = 0;
    int status, signals = 0;
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        if (WSTOPSIG(status) == SIGCONT) ++signals;
        steps += signals == 1;
        ptrace(signals == 1 ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, NULL);
    }
    printf("%llu\n", steps);
    return signals == 2 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
