// Whether the elements of derived streams follow from those of their sources, in some order of arrival.

extension StreamHistory {
    /// Whether each value started one of the inner streams, in turns, and only elements of the latest one follow.
    static func isLatest(_ elements: [End], _ outer: [End], _ inner: [[End]], isWhole: Bool) -> Bool {
        struct Position: Hashable {
            var outer = 0
            var values = 0
            /// How many elements of the latest inner stream were emitted.
            var inner = 0
        }
        func latest(_ position: Position) -> [End] {
            position.values == 0 ? [] : inner[(position.values - 1) % inner.count]
        }
        return canEmit(elements, from: Position()) { position in
            var next: [(Position, End?)] = []
            var after = position
            if position.outer < outer.count {
                let element = outer[position.outer]
                after.outer += 1
                if element.isSuccess { (after.values, after.inner) = (after.values + 1, 0) }
                next.append((after, element.isSuccess ? nil : element))
            }
            if position.inner < latest(position).count {
                after = position
                after.inner += 1
                next.append((after, latest(position)[position.inner]))
            }
            return next
        } isEnd: {
            !isWhole || $0.outer == outer.count && $0.inner == latest($0).count
        }
    }

    /// Whether the elements follow from those of two streams in some order of arrival.
    static func isCombined(
        _ elements: [End], _ pairing: StreamProgram.Pairing, _ first: [End], _ second: [End], isWhole: Bool
    ) -> Bool {
        /// How many elements of each have arrived.
        struct Position: Hashable {
            var first = 0
            var second = 0
        }
        return canEmit(elements, from: Position()) { position in
            let latest = [first[..<position.first], second[..<position.second]].map { $0.last(where: \.isSuccess) }
            var next: [(Position, End?)] = []
            if position.first < first.count {
                let element = first[position.first]
                let pair = latest[1].map { StreamProgram.paired(element, $0) }
                next.append(
                    (Position(first: position.first + 1, second: position.second), element.isFailure ? element : pair))
            }
            if position.second < second.count {
                let element = second[position.second]
                let pair = pairing == .combineLatest ? latest[0].map { StreamProgram.paired($0, element) } : nil
                next.append(
                    (Position(first: position.first, second: position.second + 1), element.isFailure ? element : pair))
            }
            return next
        } isEnd: { position in
            let haveEnded = [position.first == first.count, position.second == second.count]
            guard isWhole else { return true }
            guard pairing == .combineLatest else { return haveEnded[0] }
            return haveEnded == [true, true] || haveEnded[0] && !first.contains(where: \.isSuccess)
                || haveEnded[1] && !second.contains(where: \.isSuccess)
        }
    }

    /// Whether there are steps that emit these elements.
    ///
    /// - Parameter next: The possible steps: the position after each, and the element that it emits.
    private static func canEmit<Position: Hashable>(
        _ elements: [End], from start: Position, next: (Position) -> [(Position, End?)], isEnd: (Position) -> Bool
    ) -> Bool {
        /// Adds the positions after steps that emit nothing.
        func withSilentSteps(_ positions: Set<Position>) -> Set<Position> {
            var (result, new) = (positions, Array(positions))
            while let position = new.popLast() {
                for (after, element) in next(position) where element == nil && result.insert(after).inserted {
                    new.append(after)
                }
            }
            return result
        }
        var positions = withSilentSteps([start])
        for element in elements {
            positions = withSilentSteps(Set(positions.flatMap { next($0).filter { $0.1 == element }.map(\.0) }))
        }
        return positions.contains(where: isEnd)
    }

    /// Whether only values were dropped, and none that comes before a failure or the end; with `throttle`, not the
    /// first; and with `timeout` all after some element.
    static func isPaced(
        _ elements: [End], _ source: [End], _ transform: StreamProgram.Transform, isWhole: Bool
    ) -> Bool {
        if transform == .timeout {
            return elements.last == .timedOut && source.starts(with: elements.dropLast())
                || (isWhole ? elements == source : source.starts(with: elements))
        }
        guard isSubsequence(elements, of: source) else { return false }
        guard isWhole else { return true }
        let needed = source.enumerated().filter { index, element in
            let isBeforeBreak = index + 1 == source.count || source[index + 1].isFailure
            switch transform {
            case .throttleFirst: return element.isFailure || !source[..<index].contains(where: \.isSuccess)
            default: return element.isFailure || isBeforeBreak
            }
        }
        return isSubsequence(needed.map(\.element), of: elements)
    }

    static func counts(_ elements: [End]) -> [End: Int] {
        elements.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    static func isSubsequence(_ part: [End], of whole: [End]) -> Bool {
        var left = part[...]
        for element in whole where left.first == element { left = left.dropFirst() }
        return left.isEmpty
    }
}
