import SimpleFutures

/// SimpleFutures.
struct SharedFutureCell: SharedCell {
    private let future = Future<Int>()

    func complete(_ value: Int) { future.success(value) }

    func whenComplete(_ completion: @escaping @Sendable (Int) -> Void) {
        future.onSuccess(context: ImmediateContext(), completion: completion)
    }
}
