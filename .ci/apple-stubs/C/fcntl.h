#pragma once

#define F_SETFD 2
#define FD_CLOEXEC 1
int fcntl(int, int, ...);
