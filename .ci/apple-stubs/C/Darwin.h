// A stub of Apple's C library for type-checking on Linux: what the project uses of it, nothing more. Not Apple's headers.
//
// A C header and not Swift, so that the compiler's importer makes of it what it makes of Apple's headers: which results may
// be ignored, what is optional, what is Sendable, what `#if canImport(Darwin)` sees. Nullability is given only where
// Apple's headers give it; everything else is imported as implicitly unwrapped, as there.
#ifndef STUB_DARWIN_H
#define STUB_DARWIN_H

#include <os/lock.h>

// Not on every platform: see sys/cdefs.h, <os/availability.h>.
#define STUB_NO_WATCH_TV __attribute__((availability(tvos, unavailable))) __attribute__((availability(watchos, unavailable)))

typedef __SIZE_TYPE__ size_t;
typedef long ssize_t;
typedef long long off_t;
typedef int pid_t;
typedef unsigned int id_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int useconds_t;
typedef unsigned int sigset_t;
typedef unsigned int nfds_t;
typedef unsigned short mode_t;
typedef unsigned short nlink_t;
typedef int dev_t;
typedef unsigned long long ino_t;
typedef long long blkcnt_t;
typedef int blksize_t;
typedef long time_t;
typedef unsigned int __uint32_t;
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; int tv_usec; };

// errno.h (the overlay makes `errno` and `POSIXErrorCode` of it)
int *_Nonnull __error(void);
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define E2BIG 7
#define ENOEXEC 8
#define EBADF 9
#define ECHILD 10
#define ENOMEM 12
#define EACCES 13
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define EMFILE 24
#define EPIPE 32
#define EAGAIN 35

// pthread.h: the whole header is assumed to be non-null.
#pragma clang assume_nonnull begin
struct _opaque_pthread_t { long __sig; struct __darwin_pthread_handler_rec *_Nullable __cleanup_stack; char __opaque[64]; };
typedef struct _opaque_pthread_t *pthread_t;
typedef unsigned int qos_class_t;
qos_class_t qos_class_self(void);
typedef unsigned long pthread_key_t;
int pthread_key_create(pthread_key_t *, void (*_Nullable)(void *));
int pthread_key_delete(pthread_key_t);
void *_Nullable pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void *_Nullable);
pthread_t pthread_self(void);
int pthread_main_np(void);
int pthread_equal(pthread_t _Nullable, pthread_t _Nullable);
#pragma clang assume_nonnull end

// signal.h
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
#define SIGSTOP 17
#define SIGCHLD 20
#define SIGUSR1 30
#define SIGUSR2 31
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define SA_RESTART 0x0002
#define SA_NOCLDWAIT 0x0020
struct __siginfo;
union __sigaction_u { void (*__sa_handler)(int); void (*__sa_sigaction)(int, struct __siginfo *, void *); };
struct sigaction { union __sigaction_u __sigaction_u; sigset_t sa_mask; int sa_flags; };
int sigaction(int, const struct sigaction *__restrict, struct sigaction *__restrict);
void (*signal(int, void (*)(int)))(int);
int kill(pid_t, int);
int sigpending(sigset_t *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
int sigwait(const sigset_t *, int *);
// Macros with parameters in Apple's headers, so that Swift has the functions: sigemptyset, sigaddset, sigismember. There is
// no sigtimedwait.
int sigemptyset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigismember(const sigset_t *, int);

// fcntl.h; `open` and `fcntl` take a variable number of arguments, which the overlay makes usable.
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_ACCMODE 0x0003
#define O_NONBLOCK 0x00000004
#define O_CREAT 0x00000200
#define O_CLOEXEC 0x01000000
#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_DUPFD_CLOEXEC 67
#define F_SETNOSIGPIPE 73
#define F_GETNOSIGPIPE 74
#define FD_CLOEXEC 1

// unistd.h
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define _SC_OPEN_MAX 5
ssize_t read(int, void *, size_t);
ssize_t write(int __fd, const void *__buf, size_t __nbyte);
ssize_t pread(int __fd, void *__buf, size_t __nbyte, off_t __offset);
ssize_t pwrite(int __fd, const void *__buf, size_t __nbyte, off_t __offset);
int ftruncate(int, off_t);
int mkstemp(char *);
int close(int);
int unlink(const char *);
int pipe(int[2]);
int access(const char *, int);
int isatty(int);
int usleep(useconds_t);
long sysconf(int);
pid_t getpid(void);
pid_t getpgid(pid_t);

// sys/stat.h
struct stat {
  dev_t st_dev; mode_t st_mode; nlink_t st_nlink; ino_t st_ino; uid_t st_uid; gid_t st_gid; dev_t st_rdev;
  struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
  off_t st_size; blkcnt_t st_blocks; blksize_t st_blksize; __uint32_t st_flags; __uint32_t st_gen; int st_lspare;
  long long st_qspare[2];
};
int stat(const char *, struct stat *);
int fstat(int, struct stat *);

// poll.h
#define POLLIN 0x0001
#define POLLPRI 0x0002
#define POLLOUT 0x0004
#define POLLERR 0x0008
#define POLLHUP 0x0010
#define POLLNVAL 0x0020
struct pollfd { int fd; short events; short revents; };
extern int poll(struct pollfd *, nfds_t, int);

// sys/select.h
#define FD_SETSIZE 1024
typedef struct fd_set { int fds_bits[FD_SETSIZE / 32]; } fd_set;
int select(int, fd_set *__restrict, fd_set *__restrict, fd_set *__restrict, struct timeval *__restrict);

// stdio.h, stdlib.h, string.h
int rename(const char *__old, const char *__new);
void exit(int) __attribute__((noreturn));
char *getenv(const char *);
char *strerror(int __errnum);

// Not on tvOS and watchOS: `fork` and the like. Here so that a use of it fails there.
pid_t fork(void) __attribute__((swift_attr("@available(*, unavailable)"))) STUB_NO_WATCH_TV;

#endif
