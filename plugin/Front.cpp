//===- Front.cpp - registration of kernix-front.so -------------------------------------------------------------------===//
//
// The Clang half: registers the frontend action that binds and synthesizes. Attributes register themselves.
//
//===----------------------------------------------------------------------------------------------------------------===//
