extension CallbackFunction {
    /// Whether a call may be one of this function, and passes it a completion handler.
    public func isCalled(by call: CallFacts) -> Bool {
        if call.isReference { return call.labels.isEmpty || call.labels == facts.parameters.map(\.labelInName) }
        guard let next = place(after: call.labels, isSkippable: { $0.hasDefault || isClosure($0) }) else {
            return false
        }
        let rest = facts.parameters[next...]
        if call.trailing.isEmpty {
            return handlers.allSatisfy { $0 < next } && passes(call.labels)
                && rest.allSatisfy { $0.hasDefault || $0.closure?.isOptional == true }
        }
        let closures = rest.filter(isClosure)
        return closures.count >= call.trailing.count && rest.allSatisfy { isClosure($0) || $0.hasDefault }
            && call.trailing.dropFirst().allSatisfy { label in closures.contains { $0.labelInName == label } }
    }

    /// Whether a call with these labels, and without a completion handler, may be one of the overload.
    public func isCalled(withLabels labels: [String]) -> Bool {
        facts.isCalled(withLabels: labels, ignoring: handlers)
    }

    /// The calls of the overload, as in ``FileFacts/plainCalls``.
    public var callsOfOverload: Set<String> { facts.calls(ignoring: handlers) }

    private func isClosure(_ parameter: ParameterFacts) -> Bool {
        parameter.closure != nil || parameter.mayBeAlias
    }

    /// Whether the completion handler is among the arguments in parentheses.
    private func passes(_ labels: [String]) -> Bool {
        handlers.allSatisfy { index in
            let label = facts.parameters[index].labelInName
            return labels.count { $0 == label }
                >= facts.parameters[...index].count { $0.labelInName == label && !$0.hasDefault }
                && labels.contains(label)
        }
    }

    /// The parameter after the last that these labels name; nil if they name others.
    private func place(after labels: [String], isSkippable: (ParameterFacts) -> Bool) -> Int? {
        var next = 0
        for label in labels {
            while next < facts.parameters.count, facts.parameters[next].labelInName != label {
                guard isSkippable(facts.parameters[next]) else { return nil }
                next += 1
            }
            guard next < facts.parameters.count else { return nil }
            next += 1
        }
        return next
    }
}

extension FunctionFacts {
    /// Whether a call with these labels may be one of this function.
    ///
    /// - Parameters:
    ///   - labels: The labels of the arguments; "_" if there is none.
    ///   - ignored: The indices of parameters that the call doesn't have.
    public func isCalled(withLabels labels: [String], ignoring ignored: [Int] = []) -> Bool {
        var rest = labels[...]
        for (index, parameter) in parameters.enumerated() where !ignored.contains(index) {
            if rest.first == parameter.labelInName {
                rest.removeFirst()
            } else if !parameter.hasDefault {
                return false
            }
        }
        return rest.isEmpty
    }

    /// The calls of this function, as `Client.load(id:)`: with all labels, and without those that can be left out.
    func calls(ignoring ignored: [Int] = []) -> Set<String> {
        let all = parameters.indices.filter { !ignored.contains($0) }.map { parameters[$0] }
        return Set(
            [all, all.filter { !$0.hasDefault }].map { parameters in
                (typeName.map { $0 + "." } ?? "") + name + "(" + parameters.map { $0.labelInName + ":" }.joined() + ")"
            })
    }
}

extension AliasTable {
    /// The parameters of a function that are called again and again.
    public func repeatedClosures(of facts: FunctionFacts, path: String) -> [ClosureType] {
        facts.parameters.compactMap { parameter in
            guard let (closure, alias) = closure(of: parameter, in: facts, path: path), let closure else { return nil }
            let label = [parameter.label, parameter.name, alias].compactMap { $0 }
            return role(of: label, closure: closure, function: facts.name) == .repeated ? closure : nil
        }
    }
}
