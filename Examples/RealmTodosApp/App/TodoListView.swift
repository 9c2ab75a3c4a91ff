// SPDX-License-Identifier: Apache-2.0

// The list, which follows this device and all others of the user.

import RealmSwift
import SwiftUI

struct TodoListView: View {
  let account: TodoAccount
  @ObservedResults(Todo.self, sortDescriptor: SortDescriptor(keyPath: "name")) private var todos
  @State private var name = ""

  var body: some View {
    NavigationStack {
      List {
        TextField("What is to be done?", text: $name)
        Button("Add") { add() }
        ForEach(todos) { todo in TodoRow(todo: todo) }.onDelete(perform: $todos.remove)
        Button("Log out") { Task { await account.logOut() } }
      }
      .navigationTitle("Todos")
    }
  }

  private func add() {
    $todos.append(Todo(value: ["name": name, "owner": account.owner]))
    name = ""
  }
}

struct TodoRow: View {
  @ObservedRealmObject var todo: Todo

  var body: some View { Toggle(todo.name, isOn: $todo.isDone) }
}
