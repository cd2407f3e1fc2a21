/// Questions about a type that is known as text.
extension String {
    /// The type in an optional type, or nil if this isn't one.
    public var wrappedType: String? {
        if hasSuffix("?") || hasSuffix("!") {
            let inner = String(dropLast())
            guard !inner.hasPrefix("any ") && !inner.hasPrefix("some ") else { return nil }
            return inner.strippedOfParentheses
        }
        if hasPrefix("Optional<"), hasSuffix(">") { return String(dropFirst(9).dropLast()) }
        return nil
    }

    /// The type without the parentheses around a single one: `(any Error)` is `any Error`.
    public var strippedOfParentheses: String {
        guard hasPrefix("("), hasSuffix(")") else { return self }
        let inner = String(dropFirst().dropLast())
        guard inner.splitAtTopLevel(",").count == 1, !inner.isEmpty, inner.isBalanced else { return self }
        return inner.strippedOfParentheses
    }

    /// The error type in an optional error, such as `Error` in `(any Error)?`.
    public var optionalErrorType: String? {
        guard let wrapped = wrappedType, wrapped.isErrorType else { return nil }
        return wrapped
    }

    /// Whether this names an error: `Error`, `NSError`, or a type whose name ends so.
    public var isErrorType: Bool {
        var name = strippedOfParentheses
        if name.hasPrefix("any ") { name.removeFirst(4) }
        return name.hasSuffix("Error") && !name.contains("<") && !name.contains(" ")
    }

    /// The type of an error if it is one certain type, and nil for `any Error`.
    public var concreteErrorType: String? {
        var name = strippedOfParentheses
        if name.hasPrefix("any ") { name.removeFirst(4) }
        return name == "Error" || name == "Swift.Error" ? nil : name
    }

    /// The arguments of a generic type with this name: `["Int", "any Error"]` of `Result<Int, any Error>`.
    public func genericArguments(of names: String...) -> [String]? {
        for name in names {
            for prefix in ["\(name)<", "Swift.\(name)<"] where hasPrefix(prefix) && hasSuffix(">") {
                return String(dropFirst(prefix.count).dropLast()).splitAtTopLevel(",")
            }
        }
        return nil
    }

    private var isBalanced: Bool {
        var depth = 0
        for character in self {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth < 0 { return false }
        }
        return depth == 0
    }

    /// Splits at a separator that isn't in brackets.
    public func splitAtTopLevel(_ separator: Character) -> [String] {
        var parts: [String] = []
        var part = ""
        var depth = 0
        var last: Character = " "
        for character in self {
            if "([<".contains(character) { depth += 1 }
            if ")]".contains(character) || character == ">" && last != "-" { depth -= 1 }
            if character == separator, depth == 0 {
                parts.append(part)
                part = ""
            } else if !(part.isEmpty && character == " ") {
                part.append(character)
            }
            last = character
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }

    /// Replaces the names of generic parameters by types.
    public func substituting(_ types: [String: String]) -> String {
        guard !types.isEmpty else { return self }
        var result = ""
        var word = ""
        func flush() {
            result += result.hasSuffix(".") ? word : types[word] ?? word
            word = ""
        }
        for character in self {
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else {
                flush()
                result.append(character)
            }
        }
        flush()
        return result
    }

    /// Whether a word stands in this type.
    public func mentions(_ name: String) -> Bool { substituting([name: "\u{0}"]) != self }

    /// The words of a name in camel case, in lower case.
    public var words: [String] {
        var words: [String] = []
        var word = ""
        for character in self {
            if character.isUppercase, let last = word.last, !last.isUppercase {
                words.append(word)
                word = ""
            }
            if character.isLetter || character.isNumber {
                word.append(character)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        return words.map { $0.lowercased() }
    }
}
