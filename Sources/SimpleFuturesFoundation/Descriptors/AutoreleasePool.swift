#if canImport(ObjectiveC)
import ObjectiveC
#endif

/// Runs a closure, then releases the objects that it has autoreleased in Objective-C.
///
/// A thread that never ends would keep them all. Outside Apple's systems there is nothing to release.
func withAutoreleasePool(_ body: () -> Void) {
    #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
    #else
    body()
    #endif
}
