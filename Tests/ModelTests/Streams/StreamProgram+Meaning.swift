// The results of a program's closures, and the elements of streams, shared by the model, the machine and the check.

/// The results of a transformation for one element after the other.
struct Transformation {
    let transform: StreamProgram.Transform
    /// The number of elements so far.
    private(set) var count = 0
    private var sum = 0
    /// The last value that `distinct` has emitted.
    private(set) var last: Int?

    init(_ transform: StreamProgram.Transform) { self.transform = transform }

    /// The result for the next element; nil if it is dropped.
    mutating func apply(_ element: End) -> End? {
        defer { count += 1 }
        switch (transform, element) {
        case (.map, .success(let number)): return .success(number + 100)
        case (.mapThrowing, .success(let number)): return .failure(number + 200)
        case (.filterEven, .success(let number)): return number.isMultiple(of: 2) ? element : .noSuchElement
        case (.compactMapEven, .success(let number)): return number.isMultiple(of: 2) ? element : nil
        case (.recover, _) where element.isFailure: return .success(element.number + 300)
        case (.mapError, _) where element.isFailure: return .failure(element.number + 500)
        case (.take, _): return count < StreamProgram.slice ? element : nil
        case (.drop, _): return count < StreamProgram.slice ? nil : element
        case (.scan, .success(let number)):
            let next = StreamProgram.scanned(sum, number)
            if next.isSuccess { sum = next.number }
            return next
        case (.distinct, .success(let number)):
            if let last {
                guard let areSame = StreamProgram.areSame(last, number) else { return .failure(number + 800) }
                if areSame { return nil }
            }
            last = number
            return element
        default: return element
        }
    }

    /// The result of `reduce` for these elements and the end.
    static func reduce(_ elements: [End]) -> End {
        let sums = apply(.scan, to: elements)
        return sums.first(where: \.isFailure) ?? sums.last ?? .success(0)
    }

    static func apply(_ transform: StreamProgram.Transform, to elements: [End]) -> [End] {
        var transformation = Transformation(transform)
        return elements.compactMap { transformation.apply($0) }
    }
}

extension StreamProgram {
    /// How many elements `take` takes, and `drop` drops.
    static let slice = 2
    /// How many seconds `debounce`, `throttle` and `timeout` wait.
    static let pause = 2

    /// The result of the closure of `scan` and `reduce`.
    static func scanned(_ sum: Int, _ number: Int) -> End {
        number.isMultiple(of: 5) ? .failure(number + 600) : .success((sum &* 7 &+ number) % 100_003)
    }

    /// The result of the closure of `distinct`; nil if it throws.
    static func areSame(_ last: Int, _ number: Int) -> Bool? {
        number.isMultiple(of: 7) ? nil : (number - last).isMultiple(of: 3)
    }

    /// The result of `zip` for two elements, mapped by a closure.
    static func paired(_ first: End, _ second: End) -> End {
        guard first.isSuccess else { return first }
        return second.isSuccess ? .success((first.number &* 7 &+ second.number) % 100_003) : second
    }
}
