// SPDX-License-Identifier: Apache-2.0

// `ObservedResults`: results in SwiftUI views, which are redrawn after each change.

#if canImport(SwiftUI)
public import Foundation
import RealmSession
public import SwiftUI

/// The objects, or the projections of objects, that `@ObservedResults` and
/// `@ObservedSectionedResults` show.
public protocol _ObservedResultsValue: RealmFetchable {}

extension Object: _ObservedResultsValue {}

extension Projection: _ObservedResultsValue {}

/// The objects of a class, or the projections of these, shown by a view.
///
/// ```swift
/// struct Dogs: View {
///   @ObservedResults(Dog.self, sortDescriptor: SortDescriptor(keyPath: "name")) var dogs
///   var body: some View {
///     ForEach(dogs) { dog in Text(dog.name) }.onDelete(perform: $dogs.remove)
///     Button("Puppies") { $dogs.where = { $0.age < 1 } }
///   }
/// }
/// ```
///
/// The view gets them frozen, and is redrawn after each change. The realm is that of
/// `EnvironmentValues.realmConfiguration`, unless a configuration is given.
@MainActor @propertyWrapper
public struct ObservedResults<ResultType: _ObservedResultsValue & Identifiable>: DynamicProperty,
  BoundCollection
{
  /// The type of the elements.
  public typealias Element = ResultType

  @Environment(\.realmConfiguration) private var environment
  @StateObject private var shown: ShownResults<ResultType>
  private let declared: ShownRequest<ResultType>

  private init(_ request: ShownRequest<ResultType>) {
    declared = request
    let request = UnsafeTransfer(request)
    _shown = StateObject(
      wrappedValue: MainActor.assumeIsolated { ShownResults(request.value) })
  }

  /// Shows the projections of the objects of a class.
  ///
  /// - Parameters:
  ///   - type: The class of the projections.
  ///   - configuration: The realm; by default that of the environment.
  ///   - filter: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - sortDescriptor: The order.
  public init<ObjectType: ObjectBase>(
    _ type: ResultType.Type, configuration: Realm.Configuration? = nil,
    filter: NSPredicate? = nil, keyPaths: [String]? = nil,
    sortDescriptor: RealmSwift.SortDescriptor? = nil
  ) where ResultType: Projection<ObjectType>, ObjectType: ThreadConfined {
    self.init(ShownRequest(configuration, filter, keyPaths, sortDescriptor))
  }

  /// Shows the objects of a class.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - configuration: The realm; by default that of the environment.
  ///   - filter: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - sortDescriptor: The order.
  public init(
    _ type: ResultType.Type, configuration: Realm.Configuration? = nil,
    filter: NSPredicate? = nil, keyPaths: [String]? = nil,
    sortDescriptor: RealmSwift.SortDescriptor? = nil
  ) where ResultType: Object {
    self.init(ShownRequest(configuration, filter, keyPaths, sortDescriptor))
  }

  /// Shows the objects of a class that fulfill a condition.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - configuration: The realm; by default that of the environment.
  ///   - condition: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - sortDescriptor: The order.
  public init(
    _ type: ResultType.Type, configuration: Realm.Configuration? = nil,
    where condition: ((Query<ResultType>) -> Query<Bool>)?, keyPaths: [String]? = nil,
    sortDescriptor: RealmSwift.SortDescriptor? = nil
  ) where ResultType: Object {
    self.init(
      ShownRequest(
        configuration: configuration, condition: condition.map { .query($0) } ?? .none,
        keyPaths: keyPaths, sortDescriptors: sortDescriptor.map { [$0] } ?? []))
  }

  /// The objects as they are, frozen.
  public var wrappedValue: Results<ResultType> { shown.results(in: environment) }

  /// The wrapper itself, whose methods change the objects, and whose properties change what is
  /// shown.
  public var projectedValue: Self { self }

  /// The condition on the objects. It replaces one that was given by `where`.
  public var filter: NSPredicate? {
    get { if case .predicate(let predicate) = shown.condition { predicate } else { nil } }
    nonmutating set { shown.condition = newValue.map { .predicate($0) } ?? .none }
  }

  /// The condition on the objects. It replaces one that was given by `filter`.
  public var `where`: ((Query<ResultType>) -> Query<Bool>)? {
    get { if case .query(let query) = shown.condition { query } else { nil } }
    nonmutating set { shown.condition = newValue.map { .query($0) } ?? .none }
  }

  /// The order of the objects.
  public var sortDescriptor: RealmSwift.SortDescriptor? {
    get { shown.sortDescriptors.first }
    nonmutating set { shown.sortDescriptors = newValue.map { [$0] } ?? [] }
  }

  /// Takes what the view declares now; SwiftUI calls it before it draws the view.
  public nonisolated func update() {
    MainActor.assumeIsolated { shown.declare(declared) }
  }

  /// Shows the objects alone whose property has `text` in it.
  func search(
    _ text: String, in path: @escaping (Query<ResultType>) -> Query<String>
  ) { shown.search(text, in: path) }
}

extension ShownRequest {
  init(
    _ configuration: Realm.Configuration?, _ filter: NSPredicate?, _ keyPaths: [String]?,
    _ sortDescriptor: SortDescriptor?
  ) {
    self.init(
      configuration: configuration, condition: filter.map { .predicate($0) } ?? .none,
      keyPaths: keyPaths, sortDescriptors: sortDescriptor.map { [$0] } ?? [])
  }
}
#endif
