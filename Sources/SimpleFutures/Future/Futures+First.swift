extension Sequence where Element: Futurable {
    /// Returns a future of the first result in time, be it a success or a failure.
    ///
    ///     let answer = [primary.ask(), backup.ask()].firstCompleted()
    ///
    /// Canceled inputs are left out of account; if all are canceled, so is the result. No inputs fail it with
    /// ``FuturesError/noSuchElement``. The losers go on, but no longer hold anything of the result. If several are
    /// completed already, the first of them in order wins, unless another thread is delivering one at that moment.
    public func firstCompleted() -> Future<Element.T> {
        let result = Future<Element.T>()
        Race.start(map { $0.asFuture() }, to: result) { race, input in
            guard let first = input.settledResult(as: Element.T.self) else { return race.giveUp(input) }
            race.win { unsafeDowncast($0, to: Future<Element.T>.self).settle(first) }
        }
        return result
    }

    /// Returns a future of the first value in time.
    ///
    ///     let page = mirrors.map { load(from: $0) }.firstSucceeded()
    ///
    /// Failures and canceled inputs are left out of account. If none succeeds, the result fails with
    /// ``NoneSucceeded``, which has all the errors; if there are no inputs, with ``FuturesError/noSuchElement``. If all
    /// are canceled, so is the result. The losers go on, but no longer hold anything of the result.
    public func firstSucceeded() -> Future<Element.T> {
        let result = Future<Element.T>()
        Race.start(map { $0.asFuture() }, to: result) { race, input in
            guard input.phase == .succeeded else { return race.giveUp(input, keepsErrors: true) }
            let value = input.settledValue(as: Element.T.self)
            race.win { unsafeDowncast($0, to: Future<Element.T>.self).settle(.success(value)) }
        }
        return result
    }

    /// Returns a future of the first value in time that a closure approves of.
    ///
    ///     let free = servers.map { $0.load() }.find { $0.percent < 50 }
    ///
    /// Failures and canceled inputs are left out of account. If the closure approves of none, or there are no inputs,
    /// the result fails with ``FuturesError/noSuchElement``. If all are canceled, so is the result. The losers go on,
    /// but no longer hold anything of the result.
    ///
    /// - Parameters:
    ///   - context: Where the closure runs; for several values at a time, if the context does that.
    ///   - isWanted: Called with the values as they come, until it approves of one. If it throws, the result fails.
    public func find(
        context: any ExecutionContext = QueueContext.futuresDefault,
        where isWanted: @escaping @Sendable (Element.T) throws -> Bool
    ) -> Future<Element.T> {
        let context = context.forWaiting
        let result = Future<Element.T>()
        // The closures hold the result: they run whether it is waited for or not.
        Race.start(map { $0.asFuture() }, to: result) { race, input in
            guard input.phase == .succeeded else { return race.giveUp(input) }
            let value = input.settledValue(as: Element.T.self)
            let verdict = Future(value: value).map(context: context, cancelToken: race.losers) { value in
                // Decided here, so that the closure is not called again with what the context has got besides.
                do {
                    let isFound = try isWanted(value)
                    if isFound { race.win { _ in result.settle(.success(value)) } }
                    return isFound
                } catch {
                    race.win { _ in result.settle(.failure(error)) }
                    throw error
                }
            }
            verdict.observe(.plumbing, under: race.losers) { verdict, _ in
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
