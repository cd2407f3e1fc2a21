import SimpleFutures

/// Row 5: the memory of pending futures.
enum HeldFutures {
    /// A bare future with one callback without captures.
    static let future = HeldScenario("held.future") { count, held in
        for _ in 0..<count {
            let future = Future<Int>()
            future.onSuccess(context: ImmediateContext()) { blackHole($0) }
            held.append(Held(future))
        }
    }

    /// A promise and its future with one callback without captures.
    static let promise = HeldScenario("held.promise") { count, held in
        for _ in 0..<count {
            let promise = Promise<Int>()
            promise.future.onSuccess(context: ImmediateContext()) { blackHole($0) }
            held.append(Held(promise))
        }
    }

    /// A bare future.
    static let bare = HeldScenario("held.bare") { count, held in
        for _ in 0..<count { held.append(Held(Future<Int>())) }
    }

    /// One link of a chain of ten `map` links on a bare future, including a tenth of that future.
    static let map = HeldScenario("held.map") { count, held in
        for _ in 0..<(count / MapLink.length) {
            let head = Future<Int>()
            held.append(Held(head, end: MapLink.chain(from: head)))
        }
    }
}
