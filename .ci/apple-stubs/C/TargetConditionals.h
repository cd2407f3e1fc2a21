#pragma once

#ifdef __ENVIRONMENT_MAC_OS_X_VERSION_MIN_REQUIRED__
#define TARGET_OS_OSX 1
#else
#define TARGET_OS_OSX 0
#endif
