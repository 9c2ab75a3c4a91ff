// SPDX-License-Identifier: Apache-2.0

// `ObservedSectionedResults`: results in sections in SwiftUI views.

#if canImport(SwiftUI)
public import Foundation
import RealmSession
public import SwiftUI

/// The objects of a class, or the projections of these, in sections, shown by a view.
///
/// ```swift
/// struct Dogs: View {
///   @ObservedSectionedResults(Dog.self, sectionKeyPath: \.breed) var breeds
///   var body: some View {
///     ForEach(breeds) { breed in
///       Section(breed.key) {
///         ForEach(breed) { dog in Text(dog.name) }
///           .onDelete { $breeds.remove(atOffsets: $0, section: breed) }
///       }
///     }
///   }
/// }
/// ```
///
/// The view gets them frozen, and is redrawn after each change. The first sort descriptor has to
/// decide about the sections: objects of one section follow each other in its order. The realm is
/// that of `EnvironmentValues.realmConfiguration`, unless a configuration is given.
@MainActor @propertyWrapper
public struct ObservedSectionedResults<
  Key: _Persistable & Hashable, ResultType: _ObservedResultsValue & Identifiable
>: DynamicProperty, BoundCollection {
  /// The type of the elements of sections.
  public typealias Element = ResultType

  @Environment(\.realmConfiguration) private var environment
  @StateObject private var shown: ShownResults<ResultType>
  private let declared: ShownRequest<ResultType>
  private let block: (ResultType) -> Key
  /// The order if the view asks for none: that of the property that names the sections.
  private let usualOrder: SortDescriptor?

  private init(
    _ request: ShownRequest<ResultType>, _ usualOrder: SortDescriptor?,
    _ block: @escaping (ResultType) -> Key
  ) {
    if usualOrder == nil, request.sortDescriptors.isEmpty {
      throwRealmException(
        "sortDescriptors must not be empty when sectioning ObservedSectionedResults with "
          + "`sectionBlock`")
    }
    declared = request
    self.block = block
    self.usualOrder = usualOrder
    let request = UnsafeTransfer(request)
    _shown = StateObject(
      wrappedValue: MainActor.assumeIsolated { ShownResults(request.value, isSorted: false) })
  }

  // MARK: Projections

  /// Shows the projections of the objects of a class, a section for each value of a property.
  ///
  /// - Parameters:
  ///   - type: The class of the projections.
  ///   - sectionKeyPath: The property that names the sections.
  ///   - sortDescriptors: The order; by default that of the property.
  ///   - filter: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - configuration: The realm; by default that of the environment.
  public init<ObjectType: ObjectBase>(
    _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
    sortDescriptors: [RealmSwift.SortDescriptor] = [], filter: NSPredicate? = nil,
    keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
  ) where ResultType: Projection<ObjectType>, ObjectType: ThreadConfined {
    self.init(
      ShownRequest(configuration, filter, keyPaths, sortDescriptors),
      SortDescriptor(keyPath: _name(for: sectionKeyPath), ascending: true)
    ) { $0[keyPath: sectionKeyPath] }
  }

  /// Shows the projections of the objects of a class, in sections that a block names.
  ///
  /// - Parameters:
  ///   - type: The class of the projections.
  ///   - sectionBlock: The key of the section of each.
  ///   - sortDescriptors: The order.
  ///   - filter: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - configuration: The realm; by default that of the environment.
  public init<ObjectType: ObjectBase>(
    _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key,
    sortDescriptors: [RealmSwift.SortDescriptor] = [], filter: NSPredicate? = nil,
    keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
  ) where ResultType: Projection<ObjectType>, ObjectType: ThreadConfined {
    self.init(ShownRequest(configuration, filter, keyPaths, sortDescriptors), nil, sectionBlock)
  }

  // MARK: Objects

  /// Shows the objects of a class, a section for each value of a property.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - sectionKeyPath: The property that names the sections.
  ///   - sortDescriptors: The order; by default that of the property.
  ///   - filter: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - configuration: The realm; by default that of the environment.
  public init(
    _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
    sortDescriptors: [RealmSwift.SortDescriptor] = [], filter: NSPredicate? = nil,
    keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
  ) where ResultType: Object {
    self.init(
      ShownRequest(configuration, filter, keyPaths, sortDescriptors),
      SortDescriptor(keyPath: _name(for: sectionKeyPath), ascending: true)
    ) { $0[keyPath: sectionKeyPath] }
  }

  /// Shows the objects of a class, in sections that a block names.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - sectionBlock: The key of the section of each.
  ///   - sortDescriptors: The order.
  ///   - filter: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - configuration: The realm; by default that of the environment.
  public init(
    _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key,
    sortDescriptors: [RealmSwift.SortDescriptor] = [], filter: NSPredicate? = nil,
    keyPaths: [String]? = nil, configuration: Realm.Configuration? = nil
  ) where ResultType: Object {
    self.init(ShownRequest(configuration, filter, keyPaths, sortDescriptors), nil, sectionBlock)
  }

  /// Shows the objects of a class that fulfill a condition, a section for each value of a property.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - sectionKeyPath: The property that names the sections.
  ///   - sortDescriptors: The order; by default that of the property.
  ///   - condition: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - configuration: The realm; by default that of the environment.
  public init(
    _ type: ResultType.Type, sectionKeyPath: KeyPath<ResultType, Key>,
    sortDescriptors: [RealmSwift.SortDescriptor] = [],
    where condition: ((Query<ResultType>) -> Query<Bool>)?, keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) where ResultType: Object {
    self.init(
      ShownRequest(configuration, condition, keyPaths, sortDescriptors),
      SortDescriptor(keyPath: _name(for: sectionKeyPath), ascending: true)
    ) { $0[keyPath: sectionKeyPath] }
  }

  /// Shows the objects of a class that fulfill a condition, in sections that a block names.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - sectionBlock: The key of the section of each.
  ///   - sortDescriptors: The order.
  ///   - condition: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - configuration: The realm; by default that of the environment.
  public init(
    _ type: ResultType.Type, sectionBlock: @escaping (ResultType) -> Key,
    sortDescriptors: [RealmSwift.SortDescriptor] = [],
    where condition: ((Query<ResultType>) -> Query<Bool>)?, keyPaths: [String]? = nil,
    configuration: Realm.Configuration? = nil
  ) where ResultType: Object {
    self.init(
      ShownRequest(configuration, condition, keyPaths, sortDescriptors), nil, sectionBlock)
  }

  // MARK: What is shown

  /// The sections as they are, frozen.
  public var wrappedValue: SectionedResults<Key, ResultType> {
    shown.derived(in: environment) { results in
      let order = shown.sortDescriptors
      return results.sectioned(
        sortDescriptors: order.isEmpty ? usualOrder.map { [$0] } ?? [] : order, block)
    }
  }

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
  public var sortDescriptors: [RealmSwift.SortDescriptor] {
    get { shown.sortDescriptors }
    nonmutating set { shown.sortDescriptors = newValue }
  }

  /// Deletes the objects at some positions of a section, as the view shows them.
  public func remove(
    atOffsets offsets: IndexSet, section: ResultsSection<Key, ResultType>
  ) where ResultType: ObjectBase {
    let objects = offsets.map { section[$0] }
    changeLive(wrappedValue) { sections in
      for object in objects {
        if let object = object.thaw() { sections.realm?.delete(object) }
      }
    }
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
  fileprivate init(
    _ configuration: Realm.Configuration?, _ filter: NSPredicate?, _ keyPaths: [String]?,
    _ sortDescriptors: [SortDescriptor]
  ) {
    self.init(
      configuration: configuration, condition: filter.map { .predicate($0) } ?? .none,
      keyPaths: keyPaths, sortDescriptors: sortDescriptors)
  }

  fileprivate init(
    _ configuration: Realm.Configuration?,
    _ condition: ((Query<Element>) -> Query<Bool>)?, _ keyPaths: [String]?,
    _ sortDescriptors: [SortDescriptor]
  ) {
    self.init(
      configuration: configuration, condition: condition.map { .query($0) } ?? .none,
      keyPaths: keyPaths, sortDescriptors: sortDescriptors)
  }
}
#endif
