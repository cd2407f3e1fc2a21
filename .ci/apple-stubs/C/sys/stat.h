#pragma once

struct stat { int st_dev; unsigned short st_mode; };
int fstat(int, struct stat *);
#define S_ISFIFO(mode) (((mode) & 0170000) == 0010000)
