// Runs a program an instruction at a time, and prints how many there were: steps PROGRAM ...
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
    int status;
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        ++steps;
        ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
    }
    printf("%llu\n", steps);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
