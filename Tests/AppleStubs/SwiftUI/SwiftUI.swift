// SPDX-License-Identifier: Apache-2.0

// SwiftUI: the declarations that our sources use.

@_exported public import Combine
public import Foundation

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError() }
}

@resultBuilder public enum ViewBuilder {
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<repeat each Content> { fatalError() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> ConditionalContent<First, Second> { fatalError() }
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> ConditionalContent<First, Second> { fatalError() }
}

public struct Text: View {
  public init<S: StringProtocol>(_ content: S) {}
  public var body: Never { fatalError() }
}

public struct TextField: View {
  public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
  public var body: Never { fatalError() }
}

public struct SecureField: View {
  public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
  public var body: Never { fatalError() }
}

public struct List<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

public struct NavigationStack<Root: View>: View {
  public init(@ViewBuilder root: () -> Root) {}
  public var body: Never { fatalError() }
}

@MainActor @preconcurrency
public protocol Scene {}

public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
}

@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  var body: Body { get }
  init()
}

extension App {
  public static func main() {}
}

public struct Toggle: View {
  public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {}
  public var body: Never { fatalError() }
}

public struct Button: View {
  public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
  public var body: Never { fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: View
where Data.Element: Identifiable {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
  public var body: Never { fatalError() }
  public func onDelete(perform action: (@MainActor (IndexSet) -> Void)?) -> Self { self }
  public func onMove(perform action: (@MainActor (IndexSet, Int) -> Void)?) -> Self { self }
}

public struct ConditionalContent<First: View, Second: View>: View {
  public var body: Never { fatalError() }
}

public struct TupleView<each Content: View>: View {
  public var body: Never { fatalError() }
}

public struct LocalizedStringKey: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {}
}

public struct SearchFieldPlacement: Sendable {
  public static var automatic: SearchFieldPlacement { fatalError() }
}

extension View {
  public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }
  public func environment<V>(
    _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
  )
    -> some View
  { self }
  public nonisolated func searchable(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
  ) -> some View { self }
  public nonisolated func searchable(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic,
    prompt: LocalizedStringKey
  ) -> some View { self }
  public nonisolated func searchable<S: StringProtocol>(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: S
  ) -> some View { self }
  public nonisolated func searchSuggestions<S: View>(
    @ViewBuilder _ suggestions: () -> S
  ) -> some View { self }
}

public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

@frozen @propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
  public init(
    get: @escaping @isolated(any) @Sendable () -> Value,
    set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {}
  public init(projectedValue: Binding<Value>) { fatalError() }
  public static func constant(_ value: Value) -> Binding<Value> { fatalError() }
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { self }
  public subscript<Subject>(
    dynamicMember keyPath: WritableKeyPath<Value, Subject>
  ) -> Binding<Subject> { fatalError() }
}

extension Binding: DynamicProperty {}

@frozen @propertyWrapper
public struct State<Value>: DynamicProperty {
  public init(wrappedValue value: Value) {}
  public init(initialValue value: Value) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { fatalError() }
}

extension State: Sendable where Value: Sendable {}

@frozen @propertyWrapper
@MainActor @preconcurrency public struct StateObject<ObjectType: ObservableObject>: DynamicProperty
{
  public nonisolated init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {}
  public var wrappedValue: ObjectType { fatalError() }
  public var projectedValue: ObservedObject<ObjectType>.Wrapper { fatalError() }
}

@propertyWrapper @frozen
@MainActor @preconcurrency
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
  @dynamicMemberLookup @frozen
  @MainActor @preconcurrency public struct Wrapper {
    public subscript<Subject>(
      dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
    ) -> Binding<Subject> { fatalError() }
  }
  public init(initialValue: ObjectType) {}
  public init(wrappedValue: ObjectType) {}
  public var wrappedValue: ObjectType {
    get { fatalError() }
    set {}
  }
  public var projectedValue: ObservedObject<ObjectType>.Wrapper { fatalError() }
}

@frozen @propertyWrapper
public struct Environment<Value>: DynamicProperty {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}

extension EnvironmentValues: Sendable {}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  public init() {}
  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { fatalError() }
    set {}
  }
}
