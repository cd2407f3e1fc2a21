import SimpleFutures

extension OneCallback {
    /// A bare `Future()`, which is completed directly.
    static func futures(_ count: Int) {
        for value in 0..<count {
            let future = Future<Int>()
            escape(future)
            future.onSuccess(context: ImmediateContext()) { blackHole($0) }
            future.success(value)
        }
    }

    /// A `Promise`, which fails its future when it is dropped, and records its source location.
    static func promises(_ count: Int) {
        for value in 0..<count {
            let promise = Promise<Int>()
            escape(promise)
            promise.future.onSuccess(context: ImmediateContext()) { blackHole($0) }
            promise.success(value)
        }
    }
}
