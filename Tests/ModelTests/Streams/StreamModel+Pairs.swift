extension StreamModel {
    func zip(_ first: Node, _ second: Node, to target: Node, under token: Int?) {
        let sides = [park(until: target), park(until: target)]
        // The pairs are a stream, which a closure maps to numbers.
        let pairs = park(until: target)
        var ends: [End?] = [nil, nil]
        for (index, source) in [first, second].enumerated() where target.end == nil {
            let subscriber = Subscriber(to: source, under: token, target: target) {
                [unowned self] event in
                let isEnd = event == .finished || event == .cancelled
                if isEnd { ends[index] = event } else { sides[index].elements.append(event) }
                if !isEnd, sides.allSatisfy({ !$0.elements.isEmpty }) {
                    let pair = sides.map { $0.elements.removeFirst() }
                    pairs.elements = (pairs.elements + pair).suffix(min(first.capacity, 1000) * 2)
                    emit(StreamProgram.paired(pair[0], pair[1]), into: target)
                }
                if let last = [0, 1].lazy.compactMap({ sides[$0].elements.isEmpty ? ends[$0] : nil }).first {
                    end(target, last)
                }
            }
            subscribe(subscriber)
        }
    }

    /// `combineLatest` and `withLatest(from:)`.
    func combine(
        _ pairing: StreamProgram.Pairing, _ first: Node, _ second: Node, to target: Node, under token: Int?
    ) {
        let latest = [park(until: target), park(until: target)]
        // The pairs and failures are a stream, which a closure maps to numbers.
        let pairs = park(until: target)
        let most = min(first.capacity, 1000) * 2
        let pass = { [unowned self] (first: End, second: End, element: End) in
            pairs.elements = (pairs.elements + [first, second]).suffix(most)
            emit(element, into: target)
        }
        var ends: [End?] = [nil, nil]
        for index in pairing == .withLatest ? [1, 0] : [0, 1] where target.end == nil {
            let subscriber = Subscriber(
                to: [first, second][index], under: token, target: target
            ) { [unowned self] event in
                guard event != .finished, event != .cancelled else {
                    ends[index] = event
                    if let last = Self.end(of: pairing, ends, latest) { end(target, last) }
                    return
                }
                guard event.isSuccess else { return pass(event, event, event) }
                latest[index].elements = [event]
                if let left = latest[0].elements.first, let right = latest[1].elements.first,
                    pairing == .combineLatest || index == 0
                {
                    pass(left, right, StreamProgram.paired(left, right))
                }
            }
            subscribe(subscriber)
        }
    }

    /// The end of the combined stream; nil if it continues.
    private static func end(of pairing: StreamProgram.Pairing, _ ends: [End?], _ latest: [Parked]) -> End? {
        guard pairing == .combineLatest else { return ends[0] }
        let isEmptyForGood = [0, 1].contains { ends[$0] != nil && latest[$0].elements.isEmpty }
        guard isEmptyForGood || !ends.contains(nil) else { return nil }
        return ends.contains(.cancelled) ? .cancelled : .finished
    }

    func park(until target: Node) -> Parked {
        let waiting = Parked()
        parked.append(waiting)
        target.atEnd.append { waiting.elements = [] }
        return waiting
    }
}
