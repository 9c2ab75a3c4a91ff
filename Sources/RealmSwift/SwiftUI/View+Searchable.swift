// SPDX-License-Identifier: Apache-2.0

// `searchable`: a field of text that filters the objects of a view.

#if canImport(SwiftUI)
import RealmSession
public import SwiftUI

extension ObservedResults where ResultType: ObjectBase {
  fileprivate func search(_ text: String, _ keyPath: KeyPath<ResultType, String>) {
    search(text) { $0[dynamicMember: keyPath] }
  }
}

extension ObservedSectionedResults where ResultType: ObjectBase {
  fileprivate func search(_ text: String, _ keyPath: KeyPath<ResultType, String>) {
    search(text) { $0[dynamicMember: keyPath] }
  }
}

extension View {
  // MARK: Objects
  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it.
  @MainActor @preconcurrency
  public func searchable<T: ObjectBase>(
    text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
    placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it.
  @MainActor @preconcurrency
  public func searchable<T: ObjectBase>(
    text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
    placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it.
  @MainActor @preconcurrency
  public func searchable<T: ObjectBase, S: StringProtocol>(
    text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
    placement: SearchFieldPlacement = .automatic, prompt: S
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it, and suggestions for it.
  @MainActor @preconcurrency
  public func searchable<T: ObjectBase, Suggestions: View>(
    text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
    placement: SearchFieldPlacement = .automatic, prompt: Text? = nil,
    @ViewBuilder suggestions: () -> Suggestions
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
      .searchSuggestions(suggestions)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it, and suggestions for it.
  @MainActor @preconcurrency
  public func searchable<T: ObjectBase, Suggestions: View>(
    text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
    placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey,
    @ViewBuilder suggestions: () -> Suggestions
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
      .searchSuggestions(suggestions)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it, and suggestions for it.
  @MainActor @preconcurrency
  public func searchable<T: ObjectBase, S: StringProtocol, Suggestions: View>(
    text: Binding<String>, collection: ObservedResults<T>, keyPath: KeyPath<T, String>,
    placement: SearchFieldPlacement = .automatic, prompt: S,
    @ViewBuilder suggestions: () -> Suggestions
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
      .searchSuggestions(suggestions)
  }

  // MARK: Sections
  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it.
  @MainActor @preconcurrency
  public func searchable<Key, T: ObjectBase>(
    text: Binding<String>, collection: ObservedSectionedResults<Key, T>,
    keyPath: KeyPath<T, String>, placement: SearchFieldPlacement = .automatic,
    prompt: Text? = nil
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it.
  @MainActor @preconcurrency
  public func searchable<Key, T: ObjectBase>(
    text: Binding<String>, collection: ObservedSectionedResults<Key, T>,
    keyPath: KeyPath<T, String>, placement: SearchFieldPlacement = .automatic,
    prompt: LocalizedStringKey
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it.
  @MainActor @preconcurrency
  public func searchable<Key, T: ObjectBase, S: StringProtocol>(
    text: Binding<String>, collection: ObservedSectionedResults<Key, T>,
    keyPath: KeyPath<T, String>, placement: SearchFieldPlacement = .automatic,
    prompt: S
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it, and suggestions for it.
  @MainActor @preconcurrency
  public func searchable<Key, T: ObjectBase, Suggestions: View>(
    text: Binding<String>, collection: ObservedSectionedResults<Key, T>,
    keyPath: KeyPath<T, String>, placement: SearchFieldPlacement = .automatic,
    prompt: Text? = nil,
    @ViewBuilder suggestions: () -> Suggestions
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
      .searchSuggestions(suggestions)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it, and suggestions for it.
  @MainActor @preconcurrency
  public func searchable<Key, T: ObjectBase, Suggestions: View>(
    text: Binding<String>, collection: ObservedSectionedResults<Key, T>,
    keyPath: KeyPath<T, String>, placement: SearchFieldPlacement = .automatic,
    prompt: LocalizedStringKey,
    @ViewBuilder suggestions: () -> Suggestions
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
      .searchSuggestions(suggestions)
  }

  /// Adds a field of text to the view, which then shows those objects alone whose property has the
  /// text in it, and suggestions for it.
  @MainActor @preconcurrency
  public func searchable<Key, T: ObjectBase, S: StringProtocol, Suggestions: View>(
    text: Binding<String>, collection: ObservedSectionedResults<Key, T>,
    keyPath: KeyPath<T, String>, placement: SearchFieldPlacement = .automatic,
    prompt: S,
    @ViewBuilder suggestions: () -> Suggestions
  ) -> some View {
    collection.search(text.wrappedValue, keyPath)
    return searchable(text: text, placement: placement, prompt: prompt)
      .searchSuggestions(suggestions)
  }
}
#endif
