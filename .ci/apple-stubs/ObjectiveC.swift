// A stub of the Swift part of Apple's ObjectiveC module, for type-checking on Linux; the rest is in C/ObjectiveC.h.
@_exported import ObjectiveC

extension NSObject: Hashable {
    public static func == (left: NSObject, right: NSObject) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) {}
}

public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { fatalError() }

@frozen public struct ObjCBool: ExpressibleByBooleanLiteral {
    private var value: Int8
    public init(_ value: Bool) { self.value = value ? 1 : 0 }
    public var boolValue: Bool { value != 0 }
    public init(booleanLiteral value: Bool) { self.init(value) }
}
public func _convertBoolToObjCBool(_ x: Bool) -> ObjCBool { fatalError() }
public func _convertObjCBoolToBool(_ x: ObjCBool) -> Bool { fatalError() }
