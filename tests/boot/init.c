/* SPDX-License-Identifier: MIT */
/*
 * The first and only process of a test machine: runs the commands of /script, one a line, words
 * separated by blanks, and says on the console how each ended.  "cat FILE" and "insmod FILE" are
 * built in, for there is no shell.  What a test looks for starts with "@@".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 32 };

static int print_file(const char *path)
{
    char buffer[4096];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        printf("%s: %s\n", path, strerror(errno));
        return 1;
    }
    while ((n = read(fd, buffer, sizeof buffer)) > 0)
        fwrite(buffer, 1, (size_t) n, stdout);
    close(fd);
    return n < 0;
}

static int load_module(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || syscall(SYS_finit_module, fd, "", 0) < 0) {
        printf("%s: %s\n", path, strerror(errno));
        return 1;
    }
    close(fd);
    return 0;
}

/* The exit status as a shell has it: 128 + N for signal N. */
static int run_program(char **words)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        execv(words[0], words);
        printf("%s: %s\n", words[0], strerror(errno));
        fflush(stdout);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return 126;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_words(char **words)
{
    if (strcmp(words[0], "cat") == 0)
        return words[1] ? print_file(words[1]) : 2;
    if (strcmp(words[0], "insmod") == 0)
        return words[1] ? load_module(words[1]) : 2;
    return run_program(words);
}

static void run_line(char *line)
{
    char *words[WORDS_MAX + 1] = {NULL};
    size_t n = 0;
    int status;

    line[strcspn(line, "\n")] = '\0';
    printf("@@ run %s\n", line);
    for (char *word = strtok(line, " "); word && n < WORDS_MAX; word = strtok(NULL, " "))
        words[n++] = word;
    if (n == 0)
        return;
    fflush(stdout);
    status = run_words(words);
    printf("@@ exit %d\n", status);
    fflush(stdout);
}

static void mount_or_say(const char *type, const char *where)
{
    if (mount(type, where, type, 0, NULL) < 0 && errno != EBUSY)
        printf("%s: %s\n", where, strerror(errno));
}

int main(void)
{
    char line[1024];
    FILE *script;

    if (getpid() != 1) {
        fputs("this is the init of a test machine\n", stderr);
        return 2;
    }
    mount_or_say("proc", "/proc");
    mount_or_say("sysfs", "/sys");
    mount_or_say("devtmpfs", "/dev");

    script = fopen("/script", "re");
    while (script && fgets(line, sizeof line, script))
        run_line(line);
    if (script)
        puts("@@ done");
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
    reboot(RB_AUTOBOOT);
    return 1;
}
