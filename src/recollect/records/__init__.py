"""Whom and what memories belong to: users, threads, graphs; and what their deletion entails."""
