#pragma once

#define EINVAL 22
int *__error(void);
#define errno (*__error())
