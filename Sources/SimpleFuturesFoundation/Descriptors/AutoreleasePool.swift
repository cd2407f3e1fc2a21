#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// Runs a closure, then releases the objects that Objective-C has autoreleased in it.
///
/// A thread that never ends would keep them all. Elsewhere than on Apple's systems there is nothing to release.
func withAutoreleasePool(_ body: () -> Void) {
    #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
    #else
    body()
    #endif
}
