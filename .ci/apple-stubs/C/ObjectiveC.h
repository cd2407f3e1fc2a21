// A stub of Apple's ObjectiveC module for type-checking on Linux: what the project uses of it, nothing more.
//
// In Objective-C, so that the compiler's importer makes of it what it makes of Apple's header, and classes that inherit from
// NSObject are checked as classes of Objective-C.
#ifndef STUB_OBJECTIVE_C_H
#define STUB_OBJECTIVE_C_H

#pragma clang assume_nonnull begin

typedef signed char BOOL;
typedef unsigned long NSUInteger;

@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
@property (readonly) NSUInteger hash;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
- (instancetype)init;
- (id)copy;
@end

#pragma clang assume_nonnull end

#endif
