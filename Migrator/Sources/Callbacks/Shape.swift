/// The parameters of a completion handler, as `future(method:)` tells them apart.
public enum Shape: Sendable, Hashable, Codable {
    /// `()`
    case nothing
    /// `(T)`
    case value(String)
    /// `(T, Error?)`
    case valueAndError(String, error: String)
    /// `(T?, Error?)`
    case optionalAndError(String, error: String)
    /// `(Error?)`
    case error(String)
    /// `(Result<T, E>)`
    case result(String, error: String)
    /// `(A?, B?, Error?)`
    case twoOptionalsAndError(String, String, error: String)
    /// `(A, B, Error?)`
    case twoValuesAndError(String, String, error: String)
    /// `(Error?, T?)`
    case errorAndOptional(String, error: String)
    /// `(Error?, T)`
    case errorAndValue(String, error: String)
    /// `(T)`, `(Error)`: one closure for success and one for failure.
    case successAndFailure(String?, error: String)
    /// Several values in any other order.
    case several([String])
    /// A closure that only fails, or one that `future(method:)` doesn't take for another reason.
    case other(String)
    /// The closure's typealias is declared outside of the given paths.
    case unknown(String)

    /// Reads the shape of one completion handler.
    public init(_ closure: ClosureType) {
        let types = closure.parameters
        let errors = types.map(\.optionalErrorType)
        switch types.count {
        case 0: self = .nothing
        case 1: self = Shape(single: types[0])
        case 2:
            switch (errors[0], errors[1]) {
            case (_, let error?):
                if let value = types[0].wrappedType {
                    self = .optionalAndError(value, error: error)
                } else {
                    self = .valueAndError(types[0], error: error)
                }
            case (let error?, nil):
                if let value = types[1].wrappedType {
                    self = .errorAndOptional(value, error: error)
                } else {
                    self = .errorAndValue(types[1], error: error)
                }
            default: self = .several(types)
            }
        case 3:
            if let error = errors[2], errors[0] == nil, errors[1] == nil {
                if let first = types[0].wrappedType, let second = types[1].wrappedType {
                    self = .twoOptionalsAndError(first, second, error: error)
                } else {
                    self = .twoValuesAndError(types[0], types[1], error: error)
                }
            } else {
                self = .several(types)
            }
        default: self = .several(types)
        }
    }

    private init(single type: String) {
        if let arguments = type.genericArguments(of: "Result"), arguments.count == 2 {
            self = .result(arguments[0], error: arguments[1])
        } else if let error = type.optionalErrorType {
            self = .error(error)
        } else if type.isErrorType {
            self = .other("(\(type))")
        } else {
            self = .value(type)
        }
    }

    /// The name of the shape, the same for all types.
    public var name: String {
        switch self {
        case .nothing: "()"
        case .value: "(T)"
        case .valueAndError: "(T, Error?)"
        case .optionalAndError: "(T?, Error?)"
        case .error: "(Error?)"
        case .result: "(Result<T, E>)"
        case .twoOptionalsAndError: "(A?, B?, Error?)"
        case .twoValuesAndError: "(A, B, Error?)"
        case .errorAndOptional: "(Error?, T?)"
        case .errorAndValue: "(Error?, T)"
        case .successAndFailure: "(T), (Error)"
        case .several: "(A, B, …)"
        case .other: "other"
        case .unknown: "unknown"
        }
    }

    /// The value type of the future; nil if `future(method:)` doesn't take the shape.
    public var futureType: String? {
        switch self {
        case .nothing, .error: "Void"
        case .value(let type), .valueAndError(let type, _), .optionalAndError(let type, _), .result(let type, _),
            .errorAndOptional(let type, _), .errorAndValue(let type, _):
            type == "()" ? "Void" : type
        case .successAndFailure(let type, _): type ?? "Void"
        case .twoOptionalsAndError, .twoValuesAndError, .several:
            values.map { "(" + $0.joined(separator: ", ") + ")" }
        case .other, .unknown: nil
        }
    }

    /// The types in the tuple, if the value is one.
    public var values: [String]? {
        switch self {
        case .twoOptionalsAndError(let first, let second, _), .twoValuesAndError(let first, let second, _):
            [first, second]
        case .several(let types): types
        default: nil
        }
    }

    /// The error's type if it is one certain type: `Result<T, LoadError>`, `(T?, LoadError?)`.
    public var typedError: String? {
        switch self {
        case .valueAndError(_, let error), .optionalAndError(_, let error), .error(let error),
            .result(_, let error), .twoOptionalsAndError(_, _, let error), .twoValuesAndError(_, _, let error),
            .errorAndOptional(_, let error), .errorAndValue(_, let error), .successAndFailure(_, let error):
            error.concreteErrorType
        case .nothing, .value, .several, .other, .unknown: nil
        }
    }

    /// Whether it has a place for an error.
    public var hasError: Bool {
        switch self {
        case .nothing, .value, .other, .unknown: false
        case .several(let types): types.contains { $0.optionalErrorType != nil }
        default: true
        }
    }
}
