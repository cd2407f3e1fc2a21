extension StreamModel {
    func zip(_ first: Node, _ second: Node, to target: Node, under token: Int?) {
        let sides = [park(until: target), park(until: target)]
        // The pairs are a stream, which a closure maps to numbers.
        let pairs = park(until: target)
        var ends: [End?] = [nil, nil]
        for (index, source) in [first, second].enumerated() where target.end == nil {
            let subscriber = Subscriber(to: source, under: token, target: target, wants: { _ in true }) {
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
            target.sources.append(subscriber)
            subscribe(subscriber)
        }
    }

    func park(until target: Node) -> Parked {
        let waiting = Parked()
        parked.append(waiting)
        target.atEnd.append { waiting.elements = [] }
        return waiting
    }
}
