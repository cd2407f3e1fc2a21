import SimpleFutures

extension FutureStream {
    /// The elements that the stream keeps when it has ended; if its context runs tasks by hand, they are run here, on
    /// the main actor.
    func elements(on context: any ExecutionContext = ImmediateContext()) async -> [Try<T>] {
        while !isFinished, !isCancelled {
            (context as? ManualContext)?.run()
            await Task.yield()
        }
        return futures.compactMap { $0.result }
    }

    /// The values among them.
    func values(on context: any ExecutionContext = ImmediateContext()) async -> [T] {
        await elements(on: context).compactMap { $0.value }
    }

    /// What is in them, as text.
    func texts(on context: any ExecutionContext = ImmediateContext()) async -> [String] {
        await elements(on: context).map { result in
            switch result {
            case .success(let value): "\(value)"
            case .failure(let error): "\(error)"
            }
        }
    }
}

extension StreamPromise<Profile> {
    /// Three elements, one of them a failure, and the end.
    nonisolated func sendAll() {
        success(Profile(id: 1, name: "Ada"))
        failure(AppError.offline)
        success(Profile(id: 2, name: "Bob"))
        finish()
    }
}
