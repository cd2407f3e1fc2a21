extension Sequence where Element: Futurable {
    /// Returns a future of the first result in time, whether success or failure.
    ///
    ///     let page = mirrors.map { client.load($0) }.firstCompleted()
    ///
    /// Canceled inputs are ignored; if all are canceled, so is the result. Without inputs it fails with
    /// ``FuturesError/noSuchElement``. The other inputs continue, but no longer hold a reference to the result. If
    /// several are already completed, the first of them in order wins.
    @inlinable
    public func firstCompleted() -> Future<Element.T> {
        let result = Future<Element.T>()
        Race.start(map { $0.asFuture() }, to: result) { race, input in
            guard let first = input.settledResult(as: Element.T.self) else { return race.giveUp(input) }
            race.win { $0.future(of: Element.T.self).settle(first) }
        }
        return result
    }

    /// Returns a future of the first value in time.
    ///
    ///     let page = mirrors.map { client.load($0) }.firstSucceeded()
    ///
    /// Failures and canceled inputs are ignored. If none succeeds, the result fails with ``NoneSucceeded``, which
    /// contains an error of each that failed; without inputs, with ``FuturesError/noSuchElement``. If all are canceled,
    /// so is the result. The other inputs continue, but no longer hold a reference to the result. If several have
    /// already succeeded, the first of them in order wins.
    @inlinable
    public func firstSucceeded() -> Future<Element.T> {
        let result = Future<Element.T>()
        Race.start(map { $0.asFuture() }, to: result) { race, input in
            guard input.phase == .succeeded else { return race.giveUp(input, keepsErrors: true) }
            let value = input.settledValue(as: Element.T.self)
            race.win { $0.future(of: Element.T.self).settle(.success(value)) }
        }
        return result
    }

    /// Returns a future of the first value in time for which a closure returns true.
    ///
    ///     let ada = ids.map { client.profile($0) }.find { $0.name == "Ada" }
    ///
    /// Failures and canceled inputs are ignored. If the closure returns true for none of the values, or there are no
    /// inputs, the result fails with ``FuturesError/noSuchElement``. If all are canceled, so is the result. The other
    /// inputs continue, but no longer hold a reference to the result.
    ///
    /// - Parameters:
    ///   - context: Runs the closure. A concurrent context may run it for several values at a time.
    ///   - isWanted: Called with each value as it arrives, until it returns true. If it throws, the result fails.
    public func find(
        context: any ExecutionContext = QueueContext.futuresDefault,
        where isWanted: @escaping @Sendable (Element.T) throws -> Bool
    ) -> Future<Element.T> {
        let context = context.forWaiting
        let result = Future<Element.T>()
        // The closures hold the result: they run whether it is waited for or not.
        Race.start(map { $0.asFuture() }, to: result) { race, input in
            guard input.phase == .succeeded else { return race.giveUp(input) }
            let verdict = input.future(of: Element.T.self).map(context: context, cancelToken: race.losers) { value in
                // The race is decided inside this task, so that tasks already queued on the context do not call the
                // closure again.
                do {
                    let isFound = try isWanted(value)
                    if isFound { race.win { _ in result.settle(.success(value)) } }
                    return isFound
                } catch {
                    race.win { _ in result.settle(.failure(error)) }
                    throw error
                }
            }
            verdict.observe(.plumbing) { verdict, _ in
                switch verdict.settledResult(as: Bool.self) {
                case .success(false): race.giveUp(input)
                case .failure(let error): race.win { _ in result.settle(.failure(error)) }
                case .success(true), nil: break
                }
            }
        }
        return result
    }
}
